import Foundation
import ScriptRuntime

/// Reads a file by pieces of 64 kB.
final class FilePieces: PieceReader {
  private let handle: FileHandle
  let byteCount: Int?

  init(_ path: String) throws(UnreadableSource) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw UnreadableSource(reason: "no such file")
    }
    guard !isFolder.boolValue else { throw UnreadableSource(reason: "it is a folder") }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw UnreadableSource(reason: "it cannot be read")
    }
    self.handle = handle
    let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
    byteCount = size?.intValue
  }

  func read() throws(UnreadableSource) -> [UInt8]? {
    do {
      return try handle.read(upToCount: 1 << 16).flatMap { $0.isEmpty ? nil : Array($0) }
    } catch {
      throw UnreadableSource(reason: "it cannot be read any further")
    }
  }
}
