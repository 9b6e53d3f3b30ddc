/** The client of the control API: address, credentials, requests, errors. */
@NullMarked
package io.millrace.gateway.cli.client;

import org.jspecify.annotations.NullMarked;
