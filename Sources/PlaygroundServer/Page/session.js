"use strict"
/* The connection to the session's process. It is opened again when it breaks; the script is in the
   page, so nothing is lost. */

const speak = text => { byID("live").textContent = text }

/* Whether the page is a student's. The owner's page may be in a tab where a student was before. */
const isStudent = document.body.classList.contains("student")

/* What the browser keeps for this tab, if it keeps anything. */
const tab = {
  get(name) { try { return sessionStorage.getItem(name) } catch { return null } },
  set(name, value) { try { sessionStorage.setItem(name, value) } catch { /* It keeps nothing. */ } },
  remove(name) { try { sessionStorage.removeItem(name) } catch { /* It keeps nothing. */ } },
}

/* What the browser keeps, if it keeps anything: of each student their own. */
const kept = {
  student: isStudent ? tab.get("frc name") : null,
  key(name) { return this.student ? `${name} as ${this.student}` : name },
  get(name) { try { return localStorage.getItem(this.key(name)) } catch { return null } },
  set(name, value) { try { localStorage.setItem(this.key(name), value) } catch { /* It keeps nothing. */ } },
}

/* Where somebody is in this tab. A reload stays there; a new visit begins elsewhere. */
const place = {
  get(name) { return tab.get(`${kept.key(name)}, place`) },
  set(name, value) { tab.set(`${kept.key(name)}, place`, value) },
}

/* Leads a student to the form of the class, which says why. A script in the address goes along. */
function askToJoin(reason = "") {
  tab.remove("frc name")
  tab.remove("frc round")
  tab.set("frc refusal", reason)
  location.replace("../" + location.hash)
}

/* The largest message that the server takes. */
const mostBytes = 4 << 20
/* The largest script that the page opens. */
const mostScriptBytes = 2_000_000

class Session {
  constructor() {
    this.listeners = new Map()
    this.openers = []
    this.id = 0
    this.pause = 500
    this.isOpen = this.hasEnded = false
  }

  /* Calls a function with each message of a channel: r, l, c or x. */
  listen(channel, listener) { this.listeners.set(channel, listener) }

  /* Calls a function each time when a session begins. */
  begins(listener) { this.openers.push(listener) }

  connect() {
    clearTimeout(this.timer)
    if (this.socket) return
    if (isStudent && !kept.student) return askToJoin()
    const address = new URL(document.body.classList.contains("page") ? "../session" : "session", location.href)
    address.protocol = address.protocol.replace("http", "ws")
    address.hash = ""
    const socket = this.socket = new WebSocket(address)
    socket.onopen = () => {
      const round = Number(tab.get("frc round")) || undefined
      if (isStudent) return socket.send("s" + JSON.stringify({ join: kept.student, round }))
      this.begin()
    }
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data.slice(1))
      if (data[0] === "x" && message.joined) {
        // After the teacher has ended the class, the page does not join again by itself.
        tab.set("frc round", message.joined)
        return this.begin()
      }
      this.listeners.get(data[0])?.(message)
    }
    socket.onclose = event => this.closed(event)
  }

  begin() {
    this.isOpen = true
    this.pause = 500
    // What a link has said stays.
    if (this.hasEnded) this.tell("")
    for (const listener of this.openers) listener()
    const { wanted } = this
    this.wanted = null
    wanted?.()
  }

  /* Calls a function now, or once when the session has begun again. The last one counts, and none
     if the server does not answer, which the page says. */
  whenOpen(action) {
    if (this.isOpen) return action()
    this.wanted = action
    this.connect()
  }

  closed({ code, reason }) {
    this.socket = null
    this.isOpen = false
    this.hasEnded = true
    this.wanted = null
    this.onclose?.()
    // A session that ended for a reason begins again when somebody wants something of it. After a
    // message that the server refused, the page would send the same one again for ever.
    if (code >= 4000 && code < 4003 || [1002, 1003, 1007, 1008, 1009].includes(code))
      return this.tell(`The session ended: ${reason}. Run something to begin again.`)
    if (code === 4403) return askToJoin(reason)
    if (code >= 4003) this.pause = 10_000
    this.tell(reason ? `${reason}` : "The server does not answer. Your script is kept in this browser.")
    this.timer = setTimeout(() => this.connect(), this.pause)
    this.pause = Math.min(this.pause * 2, 10_000)
  }

  tell(text) {
    byID("status").textContent = text
    byID("status").classList.toggle("bad", text !== "")
  }

  /* Returns whether the message was sent. */
  send(channel, message) {
    // JSON cannot have half of a character, such as Backspace may leave of an emoji.
    const whole = (_, value) => typeof value === "string" ? value.replace(/[\ud800-\udfff]/gu, "\ufffd") : value
    const text = channel + JSON.stringify(message, whole)
    // The server would end the session. A character has at most three bytes.
    if (text.length * 3 > mostBytes && new Blob([text]).size > mostBytes) {
      this.tell("The script is too large: the playground takes at most 4 MB.")
      return false
    }
    // Nothing can be sent while the connection closes; `closed` follows.
    if (!this.isOpen) this.connect()
    else if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text)
    return this.isOpen
  }

  /* Sends a request with a number of its own, and returns the number; 0 if it is too large. */
  ask(channel, message) {
    const id = ++this.id
    return this.send(channel, { ...message, id }) || !this.isOpen ? id : 0
  }
}

const session = new Session()

function download(name, text, type = "text/plain") {
  const link = make("a")
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/* A script in the fragment of an address, which no server sees. */
async function packed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"))
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
  let binary = ""
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return "#s=" + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

async function unpacked(fragment) {
  const binary = atob(fragment.slice(3).replaceAll("-", "+").replaceAll("_", "/"))
  const bytes = Uint8Array.from(binary, letter => letter.charCodeAt(0))
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader()
  const decoder = new TextDecoder()
  let [text, size] = ["", 0]
  for (let piece; !(piece = await reader.read()).done;) {
    // A small fragment can become a very large text.
    size += piece.value.length
    if (size > mostScriptBytes) throw new RangeError("too large")
    text += decoder.decode(piece.value, { stream: true })
  }
  return text
}
