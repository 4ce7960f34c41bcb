// A browser starts no worker for a page from a disk. Here a hidden frame does the worker's job, so
// that the search works there, too.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      this.inner = frame.contentWindow
      this.inner.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      this.inner.importScripts = (...urls) => Promise.all(urls.map(url => this.load(url)))
      this.loaded = this.load(url)
    }

    load(url) {
      const script = this.inner.document.createElement("script")
      script.src = url
      this.inner.document.head.append(script)
      return new Promise((done, failed) => {
        script.onload = done
        script.onerror = failed
      })
    }

    postMessage(data) {
      this.loaded.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data })))
    }

    terminate() {}
  }
}
