import ArgumentParser
import LineEditor
import Platform

/// When colour is used.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto
  case always
  case never

  /// Whether a stream gets colour.
  func appliesTo(_ descriptor: FileDescriptor) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .auto:
      descriptor.isTerminal && ProcessEnvironment["NO_COLOR", default: ""].isEmpty
        && TerminalSettings.obeysSequences
    }
  }
}
