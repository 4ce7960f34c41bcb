import FetchedResults
import Foundation
import LogReplay
import Testing

/// A way in which apps print callbacks.
struct LogFormat: Sendable, CustomTestStringConvertible {
  let name: String
  /// What a log in this format says of an object and of a section.
  var namesObjects = Names.identity
  var namesSections = true
  /// The new index path of an update is printed.
  var printsNewPathOfUpdate = true
  /// The format reads lines by a pattern instead of by the grammar.
  var patterns: [String] = []
  var controller = "controller"
  /// What comes before each line.
  var prefix: @Sendable (Int) -> String = { _ in "" }
  var willChange = "controllerWillChangeContent"
  var didChange = "controllerDidChangeContent"
  let object: @Sendable (LogReplay.ObjectChange, String) -> String
  let section: @Sendable (SectionChange) -> String

  enum Names { case identity, title, none }

  var testDescription: String { name }

  func print(_ callbacks: RandomCallbacks) -> String {
    var lines = [willChange]
    for callback in callbacks.callbacks {
      switch callback.change {
      case .object(let change): lines.append(object(change, callback.title))
      case .section(let change): lines.append(section(change))
      }
    }
    lines.append(didChange)
    return lines.enumerated().map { prefix($0) + $1 }.joined(separator: "\n") + "\n"
  }

  /// The events that a log in this format has.
  func events(_ callbacks: RandomCallbacks) -> [LogEvent] {
    let changes = callbacks.callbacks.map { callback -> LogEvent in
      switch callback.change {
      case .object(let change):
        let object: String? =
          switch namesObjects {
          case .identity: change.object
          case .title: callback.title
          case .none: nil
          }
        let new = change.type == .update && !printsNewPathOfUpdate ? nil : change.new
        return .object(
          controller: controller,
          LogReplay.ObjectChange(type: change.type, object: object, old: change.old, new: new))
      case .section(let change):
        return .section(
          controller: controller,
          SectionChange(
            type: change.type, index: change.index, name: namesSections ? change.name : nil))
      }
    }
    return [.willChange(controller: controller)] + changes + [.didChange(controller: controller)]
  }
}

// MARK: - How values are printed

private func number(_ type: FetchedResultsChangeType) -> Int {
  switch type {
  case .insert: 1
  case .delete: 2
  case .move: 3
  case .update: 4
  }
}

private func capital(_ type: FetchedResultsChangeType) -> String { type.rawValue.capitalized }

/// As `print(indexPath as Any)` does in Swift.
private func swift(_ path: ResultsIndexPath?) -> String {
  path.map { "Optional([\($0.section), \($0.row)])" } ?? "nil"
}

/// As `NSLog` prints an index path.
private func objc(_ path: ResultsIndexPath?) -> String {
  path.map {
    "<NSIndexPath: 0xc00000000020\($0.row)16> {length = 2, path = \($0.section) - \($0.row)}"
  } ?? "(null)"
}

/// As `NSLog` printed one before iOS 8.
private func older(_ path: ResultsIndexPath?) -> String {
  path.map { "<NSIndexPath 0x81626d0> 2 indexes [\($0.section), \($0.row)]" } ?? "(null)"
}

private func plain(_ path: ResultsIndexPath?) -> String { path.map { "\($0)" } ?? "nil" }

private func dash(_ path: ResultsIndexPath?) -> String { path.map { "\($0)" } ?? "-" }

/// The index paths of a change, with an arrow before the new one.
private func arrows(_ change: LogReplay.ObjectChange) -> String {
  [change.old.map { "\($0)" }, change.new.map { "-> \($0)" }].compactMap { $0 }
    .joined(separator: " ")
}

private func quoted(_ text: String) -> String { PropertyValue.string(text).quotedDescription }

/// The description of an object by Core Data, over several lines or on one.
private func description(_ object: String?, _ title: String, lines: Bool) -> String {
  let end = lines ? "\n" : " "
  let indent = lines ? "    " : ""
  return "<Book: 0x600003c5c0a0> (entity: Book; id: 0x8d5a3e "
    + "<x-coredata://4C1A/\(object ?? "Book/p0")>; data: {\(end)\(indent)author = nil;\(end)"
    + "\(indent)title = \(quoted(title));\(end)})"
}

private func json(_ fields: [String: Any]) -> String {
  (try? JSONSerialization.data(withJSONObject: fields, options: .sortedKeys)).map {
    String(decoding: $0, as: UTF8.self)
  } ?? ""
}

private func list(_ path: ResultsIndexPath?) -> [Int]? { path.map { [$0.section, $0.row] } }

extension LogFormat {
  // MARK: The formats

  static let all: [LogFormat] = [
    LogFormat(
      name: "frc run", printsNewPathOfUpdate: true, controller: "books",
      willChange: "books willChangeContent", didChange: "books didChangeContent",
      object: {
        "books didChange object \($0.type) \($0.object ?? "") \(quoted($1)) " + arrows($0)
      },
      section: { "books didChange section \($0.type) \($0.index) \(quoted($0.name ?? ""))" }),
    LogFormat(
      name: "frc run --format json", controller: "books",
      willChange: json(["event": "willChangeContent", "controller": "books"]),
      didChange: json(["event": "didChangeContent", "controller": "books"]),
      object: { change, _ in
        var fields: [String: Any] = [
          "event": "didChangeObject", "controller": "books", "type": change.type.rawValue,
          "object": change.object ?? "",
        ]
        fields["indexPath"] = list(change.old)
        fields["newIndexPath"] = list(change.new)
        return json(fields)
      },
      section: {
        json([
          "event": "didChangeSection", "controller": "books", "type": $0.type.rawValue,
          "index": $0.index, "name": $0.name ?? "",
        ])
      }),
    LogFormat(
      name: "NSLog with the object's description",
      prefix: { "2023-06-09 11:48:18.0273\($0)+0200 App[95805:1065\($0)] " },
      object: {
        "didChangeObject \(description($0.object, $1, lines: false)) type=\(number($0.type)) "
          + "indexPath=\(objc($0.old)) newIndexPath=\(objc($0.new))"
      },
      section: {
        "didChangeSection name=\(quoted($0.name ?? "")) type=\(number($0.type)) atIndex=\($0.index)"
      }),
    LogFormat(
      name: "NSLog before iOS 8", namesObjects: .title, prefix: { "0\($0): " },
      willChange: "=> (enter) controllerWillChangeContent count=4",
      didChange: "=> (enter) controllerDidChangeContent count=5",
      object: {
        "didChangeObject type=\(number($0.type)) indexPath=\(older($0.old)) "
          + "newIndexPath=\(older($0.new)) object=\(quoted($1))"
      },
      section: {
        "didChangeSection type=\(number($0.type)) index=\($0.index) \(quoted($0.name ?? ""))"
      }),
    LogFormat(
      name: "the arguments of the Swift method", namesObjects: .title, namesSections: false,
      object: {
        "didChange anObject: \(quoted($1)), at: \(plain($0.old)), for: \($0.type), newIndexPath: "
          + plain($0.new)
      },
      section: {
        "didChange sectionInfo: <_NSDefaultSectionInfo: 0x6000>, atSectionIndex: \($0.index), for: "
          + ".\($0.type)"
      }),
    LogFormat(
      name: "labelled arguments", namesObjects: .title, namesSections: false,
      prefix: { _ in "BooksViewController.swift:42 " },
      object: {
        "type: \(capital($0.type)): anObject: Optional(\(quoted($1))), indexPath: \(swift($0.old)), "
          + "newIndexPath: \(swift($0.new))"
      },
      section: { "didChange section \($0.type) \($0.index)" }),
    LogFormat(
      name: "the Objective-C method with its arguments", namesObjects: .title, namesSections: false,
      prefix: { _ in "-[BooksViewController " },
      willChange: "controllerWillChangeContent:]", didChange: "controllerDidChangeContent:]",
      object: {
        "controller:didChangeObject:\(quoted($1)) atIndexPath:\(plain($0.old)) "
          + "forChangeType:\(capital($0.type)) newIndexPath:\(plain($0.new))]"
      },
      section: {
        "controller:didChangeSection:<_NSDefaultSectionInfo: 0x6000> atIndex:\($0.index) "
          + "forChangeType:\(capital($0.type))]"
      }),
    LogFormat(
      name: "the code that frc recommends", namesObjects: .none,
      object: { change, _ in
        "didChange \(number(change.type)) \(swift(change.old)) \(swift(change.new))"
      },
      section: { "didChange section \(number($0.type)) \($0.index) \(quoted($0.name ?? ""))" }),
    LogFormat(
      name: "the same, copied from the Console app", namesObjects: .none,
      prefix: { "default\t04:15:00.12345\($0 % 10)+0100\tMyApp\t" },
      object: { change, _ in
        "didChange \(number(change.type)) \(swift(change.old)) \(swift(change.new))"
      },
      section: { "didChange section \(number($0.type)) \($0.index) \(quoted($0.name ?? ""))" }),
    LogFormat(
      name: "the same after a method and a line", namesObjects: .none,
      prefix: { "FeedVC.update():\($0) - " },
      object: { change, _ in
        "didChange \(number(change.type)) \(swift(change.old)) \(swift(change.new))"
      },
      section: { "didChange section \(number($0.type)) \($0.index) \(quoted($0.name ?? ""))" }),
    LogFormat(
      name: "the same with the object's URI",
      object: { change, _ in
        "didChange \(number(change.type)) Optional(x-coredata://4C1A/\(change.object ?? "")) "
          + "\(swift(change.old)) \(swift(change.new))"
      },
      section: { "didChange section \(number($0.type)) \($0.index) \(quoted($0.name ?? ""))" }),
    LogFormat(
      name: "verbs with colours and a category", namesObjects: .title, namesSections: false,
      printsNewPathOfUpdate: false,
      prefix: { "\u{1B}[3\($0 % 7)m2026-01-02 10:00:00.1234\u{1B}[0m App[1:23] [FRC] 🔵 " },
      object: {
        switch $0.type {
        case .insert: "insert \(quoted($1)) at \(plain($0.new))"
        case .delete: "deleted \(quoted($1)) at \(plain($0.old))"
        case .move: "Moving \(quoted($1)) from \(plain($0.old)) to \(plain($0.new))"
        case .update: "update \(quoted($1)) \(plain($0.old))"
        }
      },
      section: { "section \($0.index) \($0.type == .insert ? "inserted" : "deleted")" }),
    LogFormat(
      name: "levels and words for section and row", namesObjects: .none, namesSections: false,
      prefix: { _ in "[10:00:00] DEBUG: " },
      object: { change, _ in
        func words(_ path: ResultsIndexPath?) -> String {
          path.map { "section \($0.section), row \($0.row)" } ?? "nil"
        }
        return switch change.type {
        case .insert: "didChangeObject: insertion at \(words(change.new))"
        case .delete: "didChangeObject: deletion at \(words(change.old))"
        case .move: "didChangeObject: move from \(words(change.old)) to \(words(change.new))"
        case .update: "didChangeObject: update from \(words(change.old)) to \(words(change.new))"
        }
      },
      section: { "didChangeSection: \($0.type) at \($0.index)" }),
    LogFormat(
      name: "the type's raw value, and a description over several lines",
      prefix: { $0 % 2 == 0 ? "\u{1F7E2} " : "" },
      object: {
        "Change type NSFetchedResultsChangeType(rawValue: \(number($0.type))) for indexPath "
          + "\(swift($0.old)), newIndexPath \(swift($0.new)). Changed object: "
          + description($0.object, $1, lines: true)
      },
      section: { "didChange section \($0.type) \($0.index) \(quoted($0.name ?? ""))" }),
    LogFormat(
      name: "the names of the enumeration", namesObjects: .title, namesSections: false,
      prefix: { _ in "[BooksVC.swift:12] " },
      willChange: "controllerWillChangeContent(_:) > ",
      didChange: "controllerDidChangeContent(_:) > ",
      object: {
        "controller(_:didChange:at:for:newIndexPath:) > NSFetchedResultsChange\(capital($0.type)) "
          + "\(quoted($1)) old: \(dash($0.old)), new: \(dash($0.new))"
      },
      section: {
        "controller(_:didChange:atSectionIndex:for:) > NSFetchedResultsChange\(capital($0.type)) "
          + "\($0.index)"
      }),
    LogFormat(
      name: "a pattern with an object without quotation marks", namesObjects: .title,
      patterns: ["FRC: {type} {object} at {old} -> {new}", "SECTION {index} '{name}' {type}"],
      object: { "FRC: \(number($0.type)) \($1) at \(plain($0.old)) -> \(plain($0.new))" },
      section: { "SECTION \($0.index) '\($0.name ?? "")' \($0.type)" }),
  ]
}
