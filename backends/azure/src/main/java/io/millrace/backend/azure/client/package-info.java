/** Requests to the Blob service: sent, checked, and their errors explained. */
@NullMarked
package io.millrace.backend.azure.client;

import org.jspecify.annotations.NullMarked;
