/** The operator's settings as a whole, and their checks against this machine. */
@NullMarked
package io.millrace.gateway.app.settings;

import org.jspecify.annotations.NullMarked;
