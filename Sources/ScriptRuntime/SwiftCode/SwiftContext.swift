/// A class that prints the notifications of a context, as `observe` does.
struct SwiftContext {
  /// The name of the context in the script.
  let name: String

  /// The lines of the file.
  var lines: [String] {
    let keys = ["Inserted", "Updated", "Deleted", "Refreshed", "Invalidated"]
      .map { "      NS\($0)ObjectsKey," }
    return [
      "import CoreData", "", "/// Prints the notifications of a context.",
      "final class \(name.capitalizedFirst)Observer {",
      "  private var tokens: [any NSObjectProtocol] = []", "",
      "  init(context: NSManagedObjectContext) {",
      "    let names: [Notification.Name] = [",
      "      .NSManagedObjectContextObjectsDidChange,",
      "      .NSManagedObjectContextWillSave,",
      "      .NSManagedObjectContextDidSave,",
      "    ]",
      "    tokens = names.map { name in",
      "      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {",
      "        Self.contextDidPost($0)",
      "      }",
      "    }",
      "  }", "",
      "  deinit { tokens.forEach(NotificationCenter.default.removeObserver) }", "",
      "  private static func contextDidPost(_ notification: Notification) {",
      "    print(notification.name.rawValue)",
      "    let keys = [",
    ] + keys + [
      "    ]",
      "    for key in keys {",
      "      guard let objects = notification.userInfo?[key] as? Set<NSManagedObject> else {",
      "        continue",
      "      }",
      "      print(\"  \\(key)\", objects.map(\\.objectID))",
      "    }",
      "  }",
      "}",
    ]
  }
}
