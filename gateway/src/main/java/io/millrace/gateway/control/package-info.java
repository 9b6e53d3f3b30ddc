/**
 * The API of the control port, for operators and their programs: jobs, buckets, invalidations, the state of the gateway.
 *
 * <p>A request passes {@link io.millrace.gateway.control.ApiFilter}, which finds out who asks and reads the body within a bound,
 * before Spring looks for a handler; whatever fails becomes a problem in one place.
 */
@NullMarked
package io.millrace.gateway.control;

import org.jspecify.annotations.NullMarked;
