/// The script of the pages that watch something: it keeps the dashboard fresh, and shows that a report card is being made.
enum WatchScript {
    static let text = #"""
        (function () {
          // Parts marked with data-live are taken from the page as the server writes it now, so there is one who writes it.
          const place = document.querySelector("[data-refresh]");
          if (!place) return;
          const pause = Number(place.dataset.refresh);
          let timer = 0;
          for (const part of document.querySelectorAll("[data-without-script]")) part.hidden = true;

          function live(from) {
            return new Map(Array.from(from.querySelectorAll("[data-live]"), function (part) { return [part.dataset.live, part]; }));
          }

          function take(text) {
            const fresh = live(new DOMParser().parseFromString(text, "text/html"));
            const shown = live(document);
            // The first crawl has begun, for example.
            if (fresh.size !== shown.size) return window.location.reload();
            shown.forEach(function (part, key) {
              const other = fresh.get(key);
              if (other && part.innerHTML !== other.innerHTML) part.replaceChildren.apply(part, Array.from(other.childNodes));
            });
          }

          function told() {
            const state = live(document).get("state");
            if (state) state.textContent = "The server does not answer. This page goes on when it does.";
          }

          function refresh() {
            window.clearTimeout(timer);
            if (document.hidden) return;
            fetch(window.location.pathname, { cache: "no-store", credentials: "same-origin" })
              .then(function (answer) { return answer.ok ? answer.text() : Promise.reject(new Error(String(answer.status))); })
              .then(take)
              .catch(told)
              .then(function () { timer = window.setTimeout(refresh, pause); });
          }

          document.addEventListener("visibilitychange", refresh);
          timer = window.setTimeout(refresh, pause);
        })();

        (function () {
          for (const form of document.querySelectorAll("form[data-busy]")) {
            const button = form.querySelector("button[type=submit]");
            const note = form.querySelector("[data-busy-note]");
            const before = button.textContent;
            form.addEventListener("submit", function () {
              button.disabled = true;
              button.textContent = form.dataset.busy;
              note.hidden = false;
            });
            // The browser's way back shows the page as it was left.
            window.addEventListener("pageshow", function () {
              button.disabled = false;
              button.textContent = before;
              note.hidden = true;
            });
          }
        })();

        """#
}
