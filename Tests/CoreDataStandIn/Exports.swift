// An app that imports CoreData on an Apple system has Foundation with it.
@_exported public import Foundation
