package io.millrace.gateway.control;

import io.millrace.gateway.observe.TrafficPoint;
import java.util.List;

/**
 * What went through in the last while.
 *
 * @param stepSeconds between two points
 * @param points the oldest first; fewer than asked for soon after a start
 */
record Traffic(long stepSeconds, List<TrafficPoint> points) {}
