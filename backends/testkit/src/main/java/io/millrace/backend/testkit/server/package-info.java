/** The contract suite over servers that run beside the tests. */
@NullMarked
package io.millrace.backend.testkit.server;

import org.jspecify.annotations.NullMarked;
