import FetchedResults
import Foundation

/// Returns a value as a list shows it.
///
/// The switch has every case and no `default`. So it compiles only while clients need no cases for
/// the internal values of a store.
func text(of value: PropertyValue) -> String {
  switch value {
  case .null: "-"
  case .bool(let flag): flag ? "yes" : "no"
  case .int(let number): String(number)
  case .double(let number): String(number)
  case .string(let text): text
  case .date(let date): String(date.timeIntervalSinceReferenceDate)
  case .decimal(let number): number.description
  case .uuid(let uuid): uuid.uuidString
  case .uri(let address): address.absoluteString
  case .data(let bytes): "\(bytes.count) bytes"
  case .object(let id): id.description
  case .list(let values): values.map(text).joined(separator: ", ")
  }
}
