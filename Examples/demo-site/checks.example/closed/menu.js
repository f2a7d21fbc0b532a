// The menu that D05 is about, where robots.txt closes the folder.
