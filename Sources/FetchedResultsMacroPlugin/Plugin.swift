import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The macros that the compiler finds in this program.
@main
struct FetchedResultsMacroPlugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    ManagedMacro.self, AttributeAccessorMacro.self, ToOneAccessorMacro.self,
    ToManyAccessorMacro.self, MarkerMacro.self,
  ]
}
