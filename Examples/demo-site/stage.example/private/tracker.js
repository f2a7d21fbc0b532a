// robots.txt forbids this file: a crawler that renders the page never asks for it.
document.title = "Tracked";
