"""Functions that operate the upload dialog by AppTest."""

OWN, PUBLIC = "Upload", "Upload the public file"


def with_dialog(visit, opened_by=OWN):
    """Run with the dialog open.

    AppTest runs the whole script where a browser runs the dialog alone, so the dialog is opened
    again each time.
    """
    next(button for button in visit.app.button if button.label == opened_by).click().run()
    assert visit.exceptions() == []
    return visit


def dropped(visit, filename: str, data: bytes, opened_by=OWN):
    """Drop a file into the dialog."""
    with_dialog(visit, opened_by)
    visit.app.file_uploader(key="upload-file").set_value((filename, data, "text/csv"))
    return with_dialog(visit, opened_by)


def answered(visit, label: str, answer: str):
    """Answer a question of the dialog."""
    labelled(visit.app.radio, label).set_value(answer)
    return with_dialog(visit)


def used(visit, opened_by=OWN):
    """Use what the dialog has read."""
    visit.app.button(key="use-upload").click()
    return with_dialog(visit, opened_by)


def uploaded(visit, filename: str, data: bytes, opened_by=OWN):
    """Drop a file into the dialog and use what is read, unless that is done at once."""
    visit = dropped(visit, filename, data, opened_by)
    return used(visit, opened_by) if asks_to_use(visit) else visit


def labelled(elements, label: str):
    """Return the one element whose label begins so."""
    (found,) = (element for element in elements if element.label.startswith(label))
    return found


def asks_to_use(visit) -> bool:
    """Return True if what was read is to be looked at before it is used."""
    return "use-upload" in {button.key for button in visit.app.button}
