/// The script of all pages. Without it, every page works.
///
/// - The search field suggests while one types (ARIA 1.2 combobox with a list): arrows choose, Enter searches, Escape closes.
/// - The results of a search follow what is typed into its field.
/// - `/` and Ctrl-K go to the search field.
/// - `data-copy` on a button copies that text.
/// - `data-click` on a link tells the server that the hit was opened, if the server wants to know.
///
/// Suggestions become text nodes only, never markup. Results are taken from the page of their search, whose scripts do not run.
enum PageScript {
    static let text = #"""
        "use strict";
        (function () {
          const field = document.querySelector("[data-suggest]");

          document.addEventListener("keydown", function (event) {
            if (!field || event.defaultPrevented || event.isComposing) return;
            const place = event.target;
            const types = place instanceof HTMLElement && (place.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(place.tagName));
            const slash = event.key === "/" && !types && !event.ctrlKey && !event.metaKey && !event.altKey;
            const letter = event.key === "k" && (event.ctrlKey || event.metaKey);
            if (!slash && !letter) return;
            event.preventDefault();
            field.focus();
            field.select();
          });

          document.addEventListener("click", function (event) {
            const button = event.target instanceof Element ? event.target.closest("[data-copy]") : null;
            if (!button || !navigator.clipboard) return;
            navigator.clipboard.writeText(button.dataset.copy).then(function () {
              const before = button.textContent;
              button.textContent = "Copied";
              window.setTimeout(function () { button.textContent = before; }, 1500);
            }, function () {});
          });

          for (const button of document.querySelectorAll("[data-copy]")) button.hidden = !navigator.clipboard;

          function told(event) {
            const link = event.target instanceof Element ? event.target.closest("[data-click]") : null;
            if (!link || (event.type === "auxclick" && event.button !== 1)) return;
            navigator.sendBeacon("/click", new URLSearchParams({
              query: link.dataset.query, url: link.dataset.click, position: link.dataset.position
            }));
          }
          document.addEventListener("click", told);
          document.addEventListener("auxclick", told);

          function watchPictures(place) {
            for (const image of place.querySelectorAll("img[data-letter]")) {
              const letter = function () {
                const stand = document.createElement("div");
                stand.className = image.className;
                stand.setAttribute("aria-hidden", "true");
                stand.textContent = image.dataset.letter;
                if (image.dataset.letter) image.replaceWith(stand); else image.remove();
              };
              if (image.complete && image.naturalWidth === 0 && image.currentSrc) letter();
              else image.addEventListener("error", letter);
            }
          }
          watchPictures(document);

          if (!field) return;
          const list = document.createElement("ul");
          list.id = "offers";
          list.className = "offers";
          list.hidden = true;
          list.setAttribute("role", "listbox");
          list.setAttribute("aria-label", "Suggestions");
          field.closest("form").append(list);
          field.setAttribute("role", "combobox");
          field.setAttribute("aria-autocomplete", "list");
          field.setAttribute("aria-expanded", "false");
          field.setAttribute("aria-controls", "offers");
          let typed = field.value;
          let chosen = -1;
          let asked = null;
          let timer = 0;

          function close() {
            window.clearTimeout(timer);
            if (asked) asked.abort();
            list.hidden = true;
            chosen = -1;
            field.setAttribute("aria-expanded", "false");
            field.removeAttribute("aria-activedescendant");
          }

          function choose(number) {
            const items = list.children;
            if (!items.length) return;
            if (chosen >= 0) items[chosen].setAttribute("aria-selected", "false");
            chosen = number < -1 ? items.length - 1 : number >= items.length ? -1 : number;
            if (chosen < 0) {
              field.value = typed;
              field.removeAttribute("aria-activedescendant");
              return;
            }
            items[chosen].setAttribute("aria-selected", "true");
            field.setAttribute("aria-activedescendant", items[chosen].id);
            field.value = items[chosen].textContent;
          }

          function show(texts) {
            list.replaceChildren();
            chosen = -1;
            texts.forEach(function (text, number) {
              const item = document.createElement("li");
              item.id = "offer-" + number;
              item.setAttribute("role", "option");
              item.setAttribute("aria-selected", "false");
              item.textContent = text;
              list.append(item);
            });
            list.hidden = texts.length === 0;
            field.setAttribute("aria-expanded", String(texts.length > 0));
            field.removeAttribute("aria-activedescendant");
          }

          function ask() {
            if (asked) asked.abort();
            const text = field.value;
            if (!text.trim() || text.length > 200) return close();
            asked = new AbortController();
            fetch("/api/v1/suggest?limit=8&q=" + encodeURIComponent(text), { signal: asked.signal, credentials: "same-origin" })
              .then(function (answer) { return answer.ok ? answer.json() : { suggestions: [] }; })
              .then(function (found) {
                if (field.value === text && document.activeElement === field) show(found.suggestions);
              })
              .catch(function (error) { if (error.name !== "AbortError") close(); });
          }

          const results = document.querySelector("[data-results]");
          let searched = null;
          let pause = 0;

          function search() {
            if (searched) searched.abort();
            const text = field.value;
            if (!text.trim()) return;
            const order = new URLSearchParams(window.location.search).get("sort");
            const address = "/?q=" + encodeURIComponent(text) + (order ? "&sort=" + encodeURIComponent(order) : "");
            searched = new AbortController();
            fetch(address, { signal: searched.signal, credentials: "same-origin" })
              .then(function (answer) { return answer.ok ? answer.text() : ""; })
              .then(function (markup) {
                const page = new DOMParser().parseFromString(markup, "text/html");
                const fresh = page.querySelector("[data-results]");
                if (!fresh || field.value !== text) return;
                results.replaceChildren(...fresh.childNodes);
                watchPictures(results);
                document.title = page.title;
                window.history.replaceState(null, "", address);
              })
              // Those that are shown stay; Enter asks again.
              .catch(function () {});
          }

          field.addEventListener("input", function () {
            typed = field.value;
            window.clearTimeout(timer);
            timer = window.setTimeout(ask, 90);
            if (!results) return;
            window.clearTimeout(pause);
            pause = window.setTimeout(search, 250);
          });
          field.addEventListener("keydown", function (event) {
            if (event.isComposing) return;
            if (event.key === "ArrowDown" || event.key === "ArrowUp") {
              if (list.hidden) { if (event.key === "ArrowDown") ask(); return; }
              event.preventDefault();
              choose(event.key === "ArrowDown" ? chosen + 1 : chosen - 1);
            } else if (event.key === "Escape" && !list.hidden) {
              event.preventDefault();
              field.value = typed;
              close();
            }
          });
          list.addEventListener("mousedown", function (event) { event.preventDefault(); });
          list.addEventListener("click", function (event) {
            const item = event.target instanceof Element ? event.target.closest("li") : null;
            if (!item) return;
            field.value = item.textContent;
            close();
            field.form.requestSubmit();
          });
          field.addEventListener("blur", close);
          field.form.addEventListener("submit", close);
        })();

        """#
}
