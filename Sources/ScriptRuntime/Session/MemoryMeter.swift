import FetchedResults
import Foundation
import Synchronization

/// Estimates the memory of a session's objects and variables, so that a script that uses too much
/// is stopped before the system kills the program.
///
/// Only memory that stays in use counts. The temporary memory of a statement is not counted. The
/// memory of a deleted object still counts, because undo keeps the object.
package final class MemoryMeter: Sendable {
  private let used = Atomic(0)

  /// Creates a meter for sessions in which nothing has run.
  package init() {}

  /// The approximate number of bytes in use.
  package var bytes: Int { used.load(ordering: .relaxed) }

  /// Counts an inserted object.
  func noteObject(_ values: some Sequence<PropertyValue>) {
    add(values.reduce(Self.bytesPerObject) { $0 + Self.bytes(of: $1) })
  }

  /// Counts a value that an object got.
  func note(_ value: PropertyValue) { add(Self.bytes(of: value)) }

  /// Counts what a variable has instead of its old value; nil if there is no variable.
  @inline(__always)
  func noteVariable(from old: ScriptValue?, to new: ScriptValue?) {
    let change = Self.bytes(of: new) - Self.bytes(of: old)
    if change != 0 { add(change) }
  }

  private func add(_ count: Int) { used.wrappingAdd(count, ordering: .relaxed) }

  /// The size of an object without its values: the object itself, and its entries in the tables of
  /// the context, of undo, and of a controller's results.
  private static let bytesPerObject = 300

  private static func bytes(of variable: ScriptValue?) -> Int {
    if case .value(let value) = variable { bytes(of: value) } else { 0 }
  }

  private static func bytes(of value: PropertyValue) -> Int {
    switch value {
    case .string(let text): text.utf8.count + 16
    case .data(let data): data.count + 16
    case .uri(let uri): uri.absoluteString.utf8.count + 16
    case .list(let elements): elements.reduce(16) { $0 + bytes(of: $1) }
    case .null, .bool, .int, .double, .date, .decimal, .uuid, .object: 16
    }
  }
}
