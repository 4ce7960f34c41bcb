import Basics
import Foundation
import LogReplay

/// A log of the recorder in which one callback was changed to a wrong one.
struct PlantedLog {
  /// The kind of mistake.
  enum Plant: String, CaseIterable, Sendable {
    case staleIndexPath
    case staleSection
    case droppedRow
    case droppedSection
    case repeatedCallback
    case callbackAfterEnd
    case moveAsUpdate
    case wrongPaths
    case droppedEnd

    var kind: LogMistake.Kind {
      switch self {
      case .staleIndexPath: .staleIndexPath
      case .staleSection: .staleSection
      case .droppedRow: .missingCallback
      case .droppedSection: .missingSectionCallback
      case .repeatedCallback: .repeatedCallback
      case .callbackAfterEnd: .outsideBatch
      case .moveAsUpdate: .moveAsUpdate
      case .wrongPaths: .wrongPaths
      case .droppedEnd: .unfinishedBatch
      }
    }
  }

  private(set) var lines: [String]
  /// The changed line, counted from 1; nil if lines were left out.
  private(set) var line: Int?

  var bytes: [UInt8] { Array((lines.joined(separator: "\n") + "\n").utf8) }

  /// Plants a mistake; nil if the log has no place for it.
  init?(_ log: [UInt8], _ plant: Plant, _ random: inout SeededGenerator) {
    lines = String(decoding: log, as: UTF8.self).split(separator: "\n").map(String.init)
    let isPlanted =
      switch plant {
      case .staleIndexPath:
        change("didChangeObject", &random) { fields in
          let key = fields["type"] as? String == "insert" ? "newIndexPath" : "indexPath"
          guard var path = fields[key] as? [Int] else { return }
          path[1] += 1
          fields[key] = path
        }
      case .staleSection:
        change("didChangeSection", &random) { fields in
          fields["index"] = (fields["index"] as? Int ?? 0) + 1
        }
      case .droppedRow: drop("didChangeObject", &random) { $0["type"] as? String != "update" }
      case .droppedSection: drop("didChangeSection", &random) { _ in true }
      case .repeatedCallback: doubled("didChangeObject", &random)
      case .callbackAfterEnd: put(after: "returned", "didChangeObject", &random)
      case .moveAsUpdate:
        change("didChangeObject", &random, ofType: "move") { fields in
          fields["type"] = "update"
          fields["newIndexPath"] = fields["indexPath"]
        }
      case .wrongPaths:
        change("didChangeObject", &random, ofType: "insert") { fields in
          fields["indexPath"] = fields["newIndexPath"]
        }
      case .droppedEnd: dropEnd(&random)
      }
    if !isPlanted { return nil }
  }

  private func fields(_ place: Int) -> [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(lines[place].utf8))) as? [String: Any] ?? [:]
  }

  private func places(_ event: String) -> [Int] {
    lines.indices.filter { lines[$0].hasPrefix("{\"event\":\"\(event)\"") }
  }

  /// A move to the same index path, past other rows, looks the same as an update there.
  private func isOfType(_ type: String?, _ fields: [String: Any]) -> Bool {
    fields["type"] as? String == type
      && (fields["indexPath"] as? [Int] != fields["newIndexPath"] as? [Int])
  }

  private mutating func change(
    _ event: String, _ random: inout SeededGenerator,
    ofType type: String? = nil, _ change: (inout [String: Any]) -> Void
  ) -> Bool {
    guard
      let place = places(event).filter({
        type == nil || isOfType(type, fields($0))
      }).randomElement(using: &random),
      case var values = fields(place)
    else { return false }
    change(&values)
    guard let data = try? JSONSerialization.data(withJSONObject: values, options: .sortedKeys)
    else {
      return false
    }
    lines[place] = String(decoding: data, as: UTF8.self)
    line = place + 1
    return true
  }

  private mutating func drop(
    _ event: String, _ random: inout SeededGenerator, where fits: ([String: Any]) -> Bool
  ) -> Bool {
    let places = places(event).filter { fits(fields($0)) }
    guard let place = places.randomElement(using: &random) else { return false }
    lines.remove(at: place)
    return true
  }

  private mutating func doubled(_ event: String, _ random: inout SeededGenerator) -> Bool {
    guard let place = places(event).randomElement(using: &random) else { return false }
    lines.insert(lines[place], at: place + 1)
    line = place + 2
    return true
  }

  private mutating func put(
    after end: String, _ event: String, _ random: inout SeededGenerator
  ) -> Bool {
    guard let place = places(event).randomElement(using: &random),
      let target = places(end).first(where: { $0 > place })
    else { return false }
    lines.insert(lines.remove(at: place), at: target)
    line = target + 1
    return true
  }

  /// Removes the end of a batch that another one follows.
  private mutating func dropEnd(_ random: inout SeededGenerator) -> Bool {
    let ends = places("didChangeContent")
    guard let place = ends.dropLast().randomElement(using: &random) else { return false }
    let next = places("willChangeContent").first { $0 > place } ?? lines.count
    lines.removeSubrange(place..<next)
    return true
  }
}
