// On Apple systems, importing CoreData also imports Foundation.
@_exported public import Foundation
