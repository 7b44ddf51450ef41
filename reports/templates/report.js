"use strict";
// A number's link opens the derivation it leads to; browsers that do this by themselves lose nothing.
function reveal() {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id && document.getElementById(id);
  if (!target) return;
  for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  target.scrollIntoView({ block: "nearest" });
  if (target.tabIndex === -1) target.focus({ preventScroll: true });
}
addEventListener("hashchange", reveal);
addEventListener("DOMContentLoaded", reveal);
addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest('a[href^="#"]');
  if (link && link.getAttribute("href") === location.hash) reveal();
});
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((fold) => { fold.open = true; }));
