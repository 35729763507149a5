"""Windows of the browser that one test hands to the next, emptied: a new one costs a fifth of a second of work."""

from collections import defaultdict

from playwright.sync_api import Browser, BrowserContext, CDPSession, Error, Page

from tests.browser.geometry import SEEN

FORGET = "() => { try { sessionStorage.clear(); } catch { /* a page without an address has none */ } }"


class Window:
    """A device of somebody's own: its cookies, its storage and its first tab."""

    def __init__(self, browser: Browser, options: dict) -> None:
        self.options = options
        self.context: BrowserContext = browser.new_context(**options)
        self.context.add_init_script(SEEN)
        self.page: Page = self.context.new_page()
        self.cdp: CDPSession = self.context.new_cdp_session(self.page)

    def empty(self) -> None:
        """As new, but for what the browser keeps of scripts and styles. It signs out first: no page saves any more."""
        for page in self.context.pages:
            if page != self.page:
                page.close()
        self.context.clear_cookies()
        self.context.set_offline(False)
        self.page.evaluate(FORGET)
        self.page.unroute_all()
        self.page.goto("/static/js/submit.js")
        self.page.mouse.move(-1, -1)
        self.cdp.send("Accessibility.disable")
        self.cdp.send("Storage.clearDataForOrigin", {"origin": self.options["base_url"], "storageTypes": "all"})


class Windows:
    """Those of one browser. What a window was opened with stays, so it goes to a test that asks for the same."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self._empty: dict[str, list[Window]] = defaultdict(list)

    def take(self, options: dict, *, width: int, height: int, color_scheme: str) -> Window:
        waiting = self._empty[repr(options)]
        window = waiting.pop() if waiting else Window(self.browser, options)
        window.page.set_viewport_size({"width": width, "height": height})
        window.page.emulate_media(media="null", color_scheme=color_scheme, reduced_motion="reduce")
        return window

    def give_back(self, window: Window) -> None:
        try:
            window.empty()
        except Error:
            window.context.close()  # its tab was closed, or it hangs
        else:
            self._empty[repr(window.options)].append(window)
