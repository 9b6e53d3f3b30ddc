/** Change notifications of object stores, received by the control API. */
@NullMarked
package io.millrace.gateway.control.notifications;

import org.jspecify.annotations.NullMarked;
