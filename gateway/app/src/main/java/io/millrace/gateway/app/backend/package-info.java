/** The backends of the settings: opened, probed, and their health. */
@NullMarked
package io.millrace.gateway.app.backend;

import org.jspecify.annotations.NullMarked;
