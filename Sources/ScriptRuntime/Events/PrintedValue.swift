package import FetchedResults

/// A value as `print` shows it, and as the event stream contains it.
package struct PrintedValue {
  package let text: String
  package let json: JSON

  package init(_ value: PropertyValue) {
    text = value.description
    json = JSON(value)
  }
}
