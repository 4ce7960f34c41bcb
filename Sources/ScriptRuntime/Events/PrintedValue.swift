package import FetchedResults

/// What `print` shows of a value, and the event stream has as one.
package struct PrintedValue {
  package let text: String
  package let json: JSON

  package init(_ value: PropertyValue) {
    text = value.description
    json = JSON(value)
  }
}
