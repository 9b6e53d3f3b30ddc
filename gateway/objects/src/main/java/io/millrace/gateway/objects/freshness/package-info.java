/**
 * How long cached content is served without asking its backend, and how a response reports it ({@code Cache-Status}).
 */
@NullMarked
package io.millrace.gateway.objects.freshness;

import org.jspecify.annotations.NullMarked;
