// A browser starts no worker for a page that was opened from a file, and the search runs in one. There, and only there, a
// frame of the page does a worker's work. The name of this file tells the theme not to fetch such a thing from elsewhere.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = `<script>postMessage = (data) => answer(data);</script><script src="${new URL(url, location)}"></script>`;
      document.body.append(frame);
      this.started = new Promise((started) => frame.addEventListener("load", () => started(frame.contentWindow)));
      this.started.then((inside) => {
        inside.answer = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      });
    }

    postMessage(data) {
      this.started.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
