"use strict"

// The sections as they are shown: {name, element, rows}, where rows are elements of the page.
// A row keeps its element as long as its object is in the list, wherever it moves.
let sections = []
const elements = new Map()
const list = document.querySelector("#list")
const connection = document.querySelector("#connection")

function newSection(name) {
  const element = document.createElement("section")
  const heading = document.createElement("h2")
  heading.textContent = name
  element.append(heading, document.createElement("ol"))
  return { name, element, rows: [] }
}

function rowElement(id) {
  let element = elements.get(id)
  if (!element) {
    element = document.createElement("li")
    element.dataset.id = id
    element.append(...["time", "b", "span"].map(name => document.createElement(name)))
    elements.set(id, element)
  }
  return element
}

function fill(element, row) {
  const [time, line, destination] = element.children
  const twoDigits = number => String(number).padStart(2, "0")
  time.textContent = `${twoDigits(Math.floor(row.minute / 60))}:${twoDigits(row.minute % 60)}`
  line.textContent = row.line
  destination.textContent = row.destination
  // Restarts the animation.
  element.classList.remove("changed")
  void element.offsetWidth
  element.classList.add("changed")
}

// Where a difference does not fit, a message was lost.
function expect(condition) {
  if (!condition) throw new Error("the difference does not fit the list")
}

function insertRow(section, index, element) {
  expect(index <= section.rows.length)
  section.element.lastChild.insertBefore(element, section.rows[index] ?? null)
  section.rows.splice(index, 0, element)
}

function insertSection(index, section) {
  expect(index <= sections.length)
  list.insertBefore(section.element, sections[index]?.element ?? null)
  sections.splice(index, 0, section)
}

// Shows the list as it is. Rows that were shown before keep their elements.
function replace(replacement) {
  const shown = new Set(replacement.flatMap(section => section.itemIdentifiers))
  for (const id of [...elements.keys()]) if (!shown.has(id)) elements.delete(id)
  for (const section of sections) section.element.remove()
  sections = []
  for (const { identifier, itemIdentifiers } of replacement) {
    const section = newSection(identifier)
    insertSection(sections.length, section)
    for (const id of itemIdentifiers) insertRow(section, section.rows.length, rowElement(id))
  }
}

// Rows and sections leave first, the last ones first. Then sections come, and then rows, each at
// its final place. So no change shifts the place of a later one.
function apply({ deletedSections, insertedSections, objects }) {
  const leaving = objects.filter(change => change.indexPath && change.type !== "update")
  leaving.sort((a, b) => compare(b.indexPath, a.indexPath))
  for (const { objectID, indexPath } of leaving) {
    const [element] = sections[indexPath.section]?.rows.splice(indexPath.row, 1) ?? []
    expect(element && element === elements.get(objectID))
  }
  for (const { index } of [...deletedSections].reverse()) {
    const [section] = sections.splice(index, 1)
    expect(section && section.rows.length === 0)
    section.element.remove()
  }
  for (const { index, name } of insertedSections) insertSection(index, newSection(name))
  const coming = objects.filter(change => change.newIndexPath && change.type !== "update")
  coming.sort((a, b) => compare(a.newIndexPath, b.newIndexPath))
  for (const { objectID, newIndexPath } of coming) {
    expect(sections[newIndexPath.section])
    insertRow(sections[newIndexPath.section], newIndexPath.row, rowElement(objectID))
  }
  for (const { objectID, type } of objects) {
    if (type !== "delete") continue
    elements.get(objectID)?.remove()
    elements.delete(objectID)
  }
}

function compare(a, b) {
  return a.section - b.section || a.row - b.row
}

function connect() {
  // The browser connects again by itself, and then says which message it saw last.
  const source = new EventSource("events")
  source.onopen = () => connection.textContent = "Connected"
  source.onerror = () => connection.textContent = "Connecting"
  source.onmessage = event => {
    const { number, difference, rows } = JSON.parse(event.data)
    try {
      if (difference.replacement) replace(difference.replacement)
      else apply(difference)
      for (const [id, row] of Object.entries(rows)) {
        const element = elements.get(id)
        if (element) fill(element, row)
      }
      list.dataset.number = number
    } catch (error) {
      console.error(error)
      // A new source knows no last message, so the server sends the whole list.
      source.close()
      connect()
    }
  }
}

connect()
