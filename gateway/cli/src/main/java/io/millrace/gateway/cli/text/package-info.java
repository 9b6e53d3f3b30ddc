/** Text and JSON for terminals. */
@NullMarked
package io.millrace.gateway.cli.text;

import org.jspecify.annotations.NullMarked;
