package import FetchedResults

/// A notification of a context, as it is printed.
package struct ShownNotification {
  package let name: Name
  /// The name of the context.
  package let context: String
  /// The objects of each key that has any, in a fixed order.
  package let objects: [(key: NotifiedObjects.Key, objects: [ShownObject])]
  package let areAllInvalidated: Bool

  /// The name of a notification; the raw value is its printed form.
  package enum Name: String {
    case objectsDidChange
    case willSave
    case didSave
  }

  init(_ notification: ContextNotification, context: String) {
    self.context = context
    let notified: NotifiedObjects?
    switch notification {
    case .objectsDidChange(let objects): (name, notified) = (.objectsDidChange, objects)
    case .willSave: (name, notified) = (.willSave, nil)
    case .didSave(let objects): (name, notified) = (.didSave, objects)
    }
    areAllInvalidated = notified?.areAllInvalidated ?? false
    objects = (notified?.byKey ?? []).map { key, objects in
      (
        key,
        objects.map { ShownObject($0, attribute: $0.entity.shownAttribute(besides: nil)) }
      )
    }
  }
}

extension ShownNotification {
  /// `main objectsDidChange`, and a line for each key.
  var lines: [String] {
    ["\(context) \(name.rawValue)"]
      + objects.map { key, objects in
        "  \(key.rawValue) " + objects.map(\.description).joined(separator: ", ")
      } + (areAllInvalidated ? ["  invalidatedAll"] : [])
  }

  /// The event's fields.
  ///
  /// A key without objects is left out.
  var fields: [(String, JSON?)] {
    [("name", .string(name.rawValue)), ("context", .string(context))]
      + objects.map { key, objects in
        (key.rawValue, .array(objects.map { .string($0.id.description) }))
      } + [("invalidatedAll", areAllInvalidated ? .boolean(true) : nil)]
  }
}
