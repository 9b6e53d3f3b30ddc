/** The settings in force as a snapshot, and its replacement when the settings file is reloaded. */
@NullMarked
package io.millrace.gateway.app.reload;

import org.jspecify.annotations.NullMarked;
