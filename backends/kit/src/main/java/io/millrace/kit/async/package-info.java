/** Building blocks for asynchronous code: work shared, work in sequence, and work at a limited rate. */
@NullMarked
package io.millrace.kit.async;

import org.jspecify.annotations.NullMarked;
