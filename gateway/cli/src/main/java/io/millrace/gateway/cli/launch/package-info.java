/**
 * Memory plan of the server's JVM, from the needs of the settings and the memory of the machine or its control group.
 */
@NullMarked
package io.millrace.gateway.cli.launch;

import org.jspecify.annotations.NullMarked;
