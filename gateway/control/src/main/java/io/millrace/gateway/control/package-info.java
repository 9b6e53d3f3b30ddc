/**
 * The control API and the web console: jobs, buckets, invalidations, notifications, revocations, settings, sign-in and
 * the status of the gateway, with its alarms and traffic.
 *
 * <p>Each API request passes {@link ApiAuthenticationFilter}, which authenticates the caller and reads the body up to a
 * limit, before Spring looks for a handler. {@link ApiErrorHandler} turns every failure into a problem response.
 */
@NullMarked
package io.millrace.gateway.control;

import org.jspecify.annotations.NullMarked;
