/** Gateways behind gateways: what each tells the next of a request, and learns of its response. */
@NullMarked
package io.millrace.backend.spi.tier;

import org.jspecify.annotations.NullMarked;
