import ArgumentParser
import LineEditor
import Platform

/// The settings for the use of colour.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto
  case always
  case never

  /// Whether output to a stream is coloured.
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
