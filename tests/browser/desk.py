"""The administrator's desk: a page that is logged in to the admin, and what is done there."""

from playwright.sync_api import expect

from . import people


class Desk:
    """The admin in a browser of its own."""

    def __init__(self, page, crowd):
        self.page = page
        self.crowd = crowd

    def open(self):
        """Log in by a request: the way from the admin to the log-in page is a test of its own."""
        people.log_in(self.page, self.crowd.administrator, self.crowd.administrator_password)
        return self

    def choose(self, model, key, action):
        """Search a row of a list, tick it, and run an action on it."""
        page = self.page
        page.goto(f"/admin/{model}/")
        page.get_by_role("textbox", name="Search").fill(key)
        page.get_by_role("button", name="Search").click()
        expect(page).to_have_url(f"{page.url.partition('/admin/')[0]}/admin/{model}/?q={key}")
        box = page.get_by_role("checkbox", name="Select this object")
        expect(box).to_have_count(1)
        box.check()
        self.run(action)

    def run(self, action):
        """Run an action, of the list or of the page of a row."""
        self.page.get_by_label("Action:").select_option(action)
        self.page.get_by_role("button", name="Run").click()

    def give_reason(self, title, reason):
        """Fill in the reason for an action, on the page that asks for it."""
        page = self.page
        expect(page.get_by_role("heading", name=title, level=1)).to_be_visible()
        page.get_by_label("Reason:").fill(reason)
        page.get_by_role("button", name=title).click()

    def expect_told(self, words):
        expect(self.page.locator(".messagelist")).to_contain_text(words)
