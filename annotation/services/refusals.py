"""Why a service said no: a code for programs and a sentence, with what to do, for people."""


class Refused(Exception):
    def __init__(self, code: str, message: str, **extra: object) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.extra = extra
