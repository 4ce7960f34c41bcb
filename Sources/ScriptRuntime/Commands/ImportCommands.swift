import Basics
import FetchedResults
import Foundation
import ScriptSyntax

/// Creates objects from files.
struct ImportCommands: SessionCommand {
  let parts: SessionParts

  /// The largest size of one row, in bytes.
  private static let mostRowBytes = 16 << 20

  /// `import "books.csv" into Book`: inserts an object for each row of a CSV file, or for each
  /// object of a JSON array.
  ///
  /// The file is read piece by piece. Invalid rows are skipped. After all other rows are inserted,
  /// the error names them.
  func importRows(
    _ path: ExpressionSyntax, into name: Name
  ) throws(ScriptError) {
    let entity = try names.entity(name)
    guard !entity.isAbstract else { throw frames.failure(.abstractEntity(entity.name), name.range) }
    try frames.locating(name.range) { try entity.checkReferences() }
    let file = try evaluator.string(path)
    let importer: any RowImporter
    switch file.split(separator: ".").last?.lowercased() {
    case "csv": importer = CSVImporter(entity)
    case "json": importer = JSONImporter(entity)
    default: throw frames.failure(.needed("a .csv or .json file", found: "'\(file)'"), path.range)
    }
    var imported = 0
    var badRows: [BadRow] = []
    func take(_ rows: [Result<ObjectSnapshot, BadRow>]) throws(ScriptError) {
      for row in rows {
        try steps.count(at: path.range)
        switch row {
        case .success(let snapshot):
          session.memory?.noteObject(snapshot.knownValues)
          let object = session.context.insert(entity, snapshot: snapshot)
          session.note(.insert(object, with: snapshot))
          session.tally.noteInsertion(of: object.objectID, entity: entity.name)
          imported += 1
        case .failure(let row): badRows.append(row)
        }
      }
    }
    defer { environment.endProgress() }
    do {
      let reader = try environment.reader(at: file, from: frames.source.name)
      var bytesRead = 0
      var openBytes = 0
      while let piece = try reader.read() {
        let rows = try importer.rows(in: piece)
        // Bytes without the end of a row are kept in memory.
        openBytes = rows.isEmpty ? openBytes + piece.count : 0
        guard openBytes <= Self.mostRowBytes else {
          throw UnreadableSource(reason: "a row is longer than \(Self.mostRowBytes >> 20) MB")
        }
        try take(rows)
        bytesRead += piece.count
        environment.showProgress(
          ImportProgress(
            file: file, bytesRead: bytesRead, byteCount: reader.byteCount, objects: imported))
      }
      try take(try importer.lastRows())
    } catch let error as ScriptError {
      throw error
    } catch let error as UnreadableSource {
      throw frames.failure(.file(.unreadable(path: file, reason: error.reason)), path.range)
    } catch let error as BadRow {
      throw frames.failure(
        .file(.unreadable(path: file, reason: "line \(error.line): \(error.reason)")), path.range)
    } catch {
      throw frames.failure(.engine("\(error)"), path.range)
    }
    guard badRows.isEmpty else {
      throw frames.failure(
        .engine(BadRow.message(badRows, file: file, imported: imported)), path.range)
    }
  }
}

/// Creates objects' values from the pieces of a file.
private protocol RowImporter: AnyObject {
  /// - Throws: `BadRow` if the file as a whole is wrong.
  func rows(in piece: [UInt8]) throws(BadRow) -> [Result<ObjectSnapshot, BadRow>]
  func lastRows() throws(BadRow) -> [Result<ObjectSnapshot, BadRow>]
}

extension EntityDescription {
  /// Returns the index of a stored attribute that a file names.
  fileprivate func imported(_ name: String, line: Int) throws(BadRow) -> Int {
    if let index = attributeIndex(named: name), attributes[index].expression == nil {
      return index
    }
    let names = attributes.filter { $0.expression == nil }.map(\.name)
    let near = nearestName(to: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
    throw BadRow(line: line, reason: "\(self.name) has no attribute '\(name)' to import\(near)")
  }

  fileprivate func misfit(_ index: Int, _ found: String, line: Int) -> BadRow {
    BadRow(
      line: line,
      reason: "'\(attributes[index].name)' needs \(attributes[index].type.scriptName), "
        + "found \(found)")
  }
}

/// Imports rows of CSV.
///
/// The first row names the attributes.
private final class CSVImporter: RowImporter {
  private let entity: EntityDescription
  private var records = CSVRecords()
  private var columns: [Int]?

  init(_ entity: EntityDescription) { self.entity = entity }

  func rows(in piece: [UInt8]) throws(BadRow) -> [Result<ObjectSnapshot, BadRow>] {
    try rows(of: records.records(in: piece))
  }

  func lastRows() throws(BadRow) -> [Result<ObjectSnapshot, BadRow>] {
    let isOpen = records.isOpen
    let last = records.last()
    if isOpen, let row = last.first {
      return [.failure(BadRow(line: row.line, reason: "a field's quotes do not end"))]
    }
    return try rows(of: last)
  }

  private func rows(of records: [CSVRecords.Record]) throws(BadRow) -> [Result<
    ObjectSnapshot, BadRow
  >] {
    var rows: [Result<ObjectSnapshot, BadRow>] = []
    for record in records {
      guard let columns else {
        columns = try header(record)
        continue
      }
      rows.append(row(record, columns))
    }
    return rows
  }

  private func header(_ record: CSVRecords.Record) throws(BadRow) -> [Int] {
    guard record.isText else { throw Self.noText(record) }
    if record.fields.count == 1, let separator = record.fields[0].foreignSeparator {
      throw BadRow(
        line: record.line, reason: "its columns are separated by \(separator), commas are needed")
    }
    var columns: [Int] = []
    var known: Set<Int> = []
    for field in record.fields {
      let column = try entity.imported(field.text, line: record.line)
      if !known.insert(column).inserted {
        throw BadRow(line: record.line, reason: "'\(field.text)' is repeated in the header")
      }
      columns.append(column)
    }
    return columns
  }

  /// Returns the values of a row.
  ///
  /// An empty field without quotes counts as missing.
  private func row(_ record: CSVRecords.Record, _ columns: [Int]) -> Result<ObjectSnapshot, BadRow>
  {
    guard record.isText else { return .failure(Self.noText(record)) }
    guard record.fields.count == columns.count else {
      return .failure(
        BadRow(
          line: record.line,
          reason: "\(columns.count) fields are needed, found \(record.fields.count)"))
    }
    var snapshot = entity.defaults
    for (index, field) in zip(columns, record.fields) where field.isQuoted || !field.text.isEmpty {
      guard let value = entity.attributes[index].type.value(imported: field.text) else {
        return .failure(entity.misfit(index, "'\(field.text.prefix(40))'", line: record.line))
      }
      snapshot[index] = value
    }
    return .success(snapshot)
  }
}

extension CSVRecords.Field {
  /// A description of the separator in a header without commas; nil if there is none.
  fileprivate var foreignSeparator: String? {
    text.contains(";") ? "semicolons" : text.contains("\t") ? "tabs" : nil
  }
}

extension CSVImporter {
  private static func noText(_ record: CSVRecords.Record) -> BadRow {
    BadRow(line: record.line, reason: "it is not written in UTF-8")
  }
}

/// Imports the objects of a JSON array.
private final class JSONImporter: RowImporter {
  private let entity: EntityDescription
  private var records = JSONRecords()
  private let decoder = JSONDecoder()

  init(_ entity: EntityDescription) { self.entity = entity }

  func rows(in piece: [UInt8]) throws(BadRow) -> [Result<ObjectSnapshot, BadRow>] {
    let found = records.records(in: piece)
    if records.isNoArray { return try lastRows() }
    return found.map { record in
      do throws(BadRow) {
        return .success(try row(record))
      } catch {
        return .failure(error)
      }
    }
  }

  func lastRows() throws(BadRow) -> [Result<ObjectSnapshot, BadRow>] {
    guard let (problem, line) = records.problem else { return [] }
    switch problem {
    case .noArray: throw BadRow(line: line, reason: "the file is not an array of objects")
    case .arrayDoesNotEnd: return [.failure(BadRow(line: line, reason: "the array does not end"))]
    case .somethingFollows:
      return [.failure(BadRow(line: line, reason: "unexpected text after the array"))]
    }
  }

  private func row(_ record: JSONRecords.Record) throws(BadRow) -> ObjectSnapshot {
    let values: [String: ImportedScalar]
    do {
      values = try decoder.decode([String: ImportedScalar].self, from: Data(record.text))
    } catch {
      throw BadRow(
        line: record.line,
        reason: "it is not a JSON object of strings, numbers, truth values and null"
      )
    }
    try checkKeys(of: record, count: values.count)
    var snapshot = entity.defaults
    for (key, scalar) in values.ordered(by: { $0.key < $1.key }) {
      let index = try entity.imported(key, line: record.line)
      guard let value = scalar.value(of: entity.attributes[index].type) else {
        throw entity.misfit(index, scalar.excerpt, line: record.line)
      }
      snapshot[index] = value
    }
    return snapshot
  }

  /// Refuses an object with a repeated key, of which the decoder keeps only one.
  private func checkKeys(of record: JSONRecords.Record, count: Int) throws(BadRow) {
    let keys = JSONRecords.keys(of: record)
    guard keys.count > count else { return }
    var known: Set<String> = []
    for key in keys {
      // Two keys may be the same although only one is written with escapes.
      let name =
        (try? decoder.decode(String.self, from: Data(key))) ?? String(decoding: key, as: UTF8.self)
      guard known.insert(name).inserted else {
        throw BadRow(line: record.line, reason: "'\(name)' is repeated")
      }
    }
  }
}
