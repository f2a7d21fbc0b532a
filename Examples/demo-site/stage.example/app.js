// A page as single-page apps make it: everything comes from here, some of it late.
customElements.define("act-card", class extends HTMLElement {
  connectedCallback() {
    this.attachShadow({ mode: "open" }).innerHTML = "<h2>The act</h2><slot></slot>";
  }
});
customElements.define("act-notes", class extends HTMLElement {
  connectedCallback() {
    this.attachShadow({ mode: "closed" }).innerHTML = "<p>Bring a raincoat: the first three rows get wet.</p>";
  }
});

const act = await (await fetch("/act.json")).json();
setTimeout(() => {
  document.title = act.name;
  const head = (html) => document.head.insertAdjacentHTML("beforeend", html);
  head(`<meta name="description" content="${act.description}">`);
  head(`<meta property="og:title" content="${act.name}">`);
  head(`<meta property="og:type" content="website">`);
  head(`<link rel="canonical" href="https://stage.example/">`);
  head(`<meta name="apple-itunes-app" content="app-id=1450000004, app-argument=clownapp://acts/42">`);
  const data = document.createElement("script");
  data.type = "application/ld+json";
  data.textContent = JSON.stringify({
    "@context": "https://schema.org", "@type": "TheaterEvent", name: act.name, description: act.description,
    startDate: act.start, location: { "@type": "Place", name: act.place, address: act.place },
  });
  document.head.append(data);
  document.getElementById("root").innerHTML = `<h1>${act.name}</h1><act-card><p>${act.description}</p></act-card>
    <act-notes></act-notes><div style="height: 2500px"></div><p id="late"></p><a href="/tickets.html">Tickets</a>`;
  new IntersectionObserver((entries) => {
    if (entries[0].isIntersecting) document.getElementById("late").textContent = "The doors open at seven.";
  }).observe(document.getElementById("late"));
  setTimeout(() => { location = "clownapp://acts/42"; }, 500);
}, 800);
