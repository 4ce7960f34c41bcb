"use strict"
const field = id => document.getElementById(id)
const blocked = "This browser keeps nothing for this page, so it cannot join. Allow its data, and open it again."
try {
  field("name").value = sessionStorage.getItem("frc name") ?? ""
  // Why the class did not take the student, or has ended.
  field("status").textContent = sessionStorage.getItem("frc refusal") ?? ""
  sessionStorage.removeItem("frc refusal")
} catch {
  field("status").textContent = blocked
}
field("join").addEventListener("submit", async event => {
  event.preventDefault()
  const name = field("name").value.trim()
  if (!name) {
    field("status").textContent = "Write your name."
    return
  }
  const code = field("code").value.trim().toLowerCase()
  const answer = await fetch(`/${encodeURIComponent(code)}/list.json`)
  if (!answer.ok) {
    field("status").textContent = "No class has this code. Ask your teacher."
    return
  }
  try {
    sessionStorage.setItem("frc name", name)
    sessionStorage.removeItem("frc round")
  } catch {
    field("status").textContent = blocked
    return
  }
  location.href = `/${code}/${location.hash}`
})
