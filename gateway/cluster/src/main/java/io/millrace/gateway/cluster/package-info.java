/**
 * Several gateways as one: each hears of every write before it is acknowledged, and uses its cache under leases of
 * all others.
 */
@NullMarked
package io.millrace.gateway.cluster;

import org.jspecify.annotations.NullMarked;
