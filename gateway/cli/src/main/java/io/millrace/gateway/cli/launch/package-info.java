/** How much memory the server's JVM gets: what the settings need, and what the machine or its control group has. */
@NullMarked
package io.millrace.gateway.cli.launch;

import org.jspecify.annotations.NullMarked;
