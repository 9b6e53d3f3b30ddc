/** Connections of the data plane's port: how many may be open, and which are refused or cut before a request. */
@NullMarked
package io.millrace.gateway.s3.connection;

import org.jspecify.annotations.NullMarked;
