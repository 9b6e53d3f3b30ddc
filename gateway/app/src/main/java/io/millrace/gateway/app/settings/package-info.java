/** The operator's file as a whole, and the checks of what it names. */
@NullMarked
package io.millrace.gateway.app.settings;

import org.jspecify.annotations.NullMarked;
