"""The languages that the form of HEDS 3.0 offers, by the numbers of their elements.

They are those of ISO 639-1 in alphabetical order; names of one language are divided by a slash.
"""

NAMES = """
Abkhazian; Afar; Afrikaans; Akan; Albanian; Amharic; Arabic; Aragonese; Armenian; Assamese; Avaric; Avestan;
Aymara; Azerbaijani; Bambara; Bashkir; Basque; Belarusian; Bengali; Bislama; Bosnian; Breton; Bulgarian; Burmese;
Catalan / Valencian; Chamorro; Chechen; Chichewa / Chewa / Nyanja; Chinese; Church Slavonic; Chuvash; Cornish;
Corsican; Cree; Croatian; Czech; Danish; Divehi / Dhivehi / Maldivian; Dutch / Flemish; Dzongkha; English;
Esperanto; Estonian; Ewe; Faroese; Fijian; Finnish; French; Western Frisian; Fulah; Gaelic / Scottish Gaelic;
Galician; Ganda; Georgian; German; Greek; Kalaallisut / Greenlandic; Guarani; Gujarati; Haitian / Haitian Creole;
Hausa; Hebrew; Herero; Hindi; Hiri Motu; Hungarian; Icelandic; Ido; Igbo; Indonesian; Interlingua; Interlingue /
Occidental; Inuktitut; Inupiaq; Irish; Italian; Japanese; Javanese; Kannada; Kanuri; Kashmiri; Kazakh; Central
Khmer; Kikuyu / Gikuyu; Kinyarwanda; Kirghiz / Kyrgyz; Komi; Kongo; Korean; Kuanyama / Kwanyama; Kurdish; Lao;
Latin; Latvian; Limburgan / Limburger / Limburgish; Lingala; Lithuanian; Luba-Katanga; Luxembourgish /
Letzeburgesch; Macedonian; Malagasy; Malay; Malayalam; Maltese; Manx; Maori; Marathi; Marshallese; Mongolian;
Nauru; Navajo / Navaho; North Ndebele; South Ndebele; Ndonga; Nepali; Norwegian; Norwegian Bokmål; Norwegian
Nynorsk; Sichuan Yi / Nuosu; Occitan; Ojibwa; Oriya; Oromo; Ossetian / Ossetic; Pali; Pashto / Pushto; Persian;
Polish; Portuguese; Punjabi / Panjabi; Quechua; Romanian / Moldavian / Moldovan; Romansh; Rundi; Russian; Northern
Sami; Samoan; Sango; Sanskrit; Sardinian; Serbian; Shona; Sindhi; Sinhala / Sinhalese; Slovak; Slovenian; Somali;
Southern Sotho; Spanish / Castilian; Sundanese; Swahili; Swati; Swedish; Tagalog; Tahitian; Tajik; Tamil; Tatar;
Telugu; Thai; Tibetan; Tigrinya; Tonga; Tsonga; Tswana; Turkish; Turkmen; Twi; Uighur / Uyghur; Ukrainian; Urdu;
Uzbek; Venda; Vietnamese; Volapük; Walloon; Welsh; Wolof; Xhosa; Yiddish; Yoruba; Zhuang / Chuang; Zulu
"""

# The first element is "not applicable", the last another language.
LANGUAGES = {
    name.strip().casefold(): number
    for number, names in enumerate(" ".join(NAMES.split()).split(";"), start=2)
    for name in names.split("/")
}
OTHER_LANGUAGE = 185
