/** Identities and settings in the control API. */
@NullMarked
package io.millrace.gateway.control.settings;

import org.jspecify.annotations.NullMarked;
