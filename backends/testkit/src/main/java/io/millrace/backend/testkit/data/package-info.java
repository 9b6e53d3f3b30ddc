/** Test data: keys, bytes, checksums, paced readers. */
@NullMarked
package io.millrace.backend.testkit.data;

import org.jspecify.annotations.NullMarked;
