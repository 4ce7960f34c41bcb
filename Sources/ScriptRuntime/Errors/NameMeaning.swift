/// The kind of thing that a name stands for; the raw value is the word with its article.
package enum NameMeaning: String, Sendable {
  case entity = "an entity"
  case request = "a request"
  case controller = "a controller"
  case table = "a table"
  case variable = "a variable"
}
