/** Settings of Hub backends. */
@NullMarked
package io.millrace.backend.hub.settings;

import org.jspecify.annotations.NullMarked;
